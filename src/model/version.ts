/** As package.json says; put in by the build, absent where the sources run by themselves. */
export const version = (globalThis as { STRATA_VERSION?: string }).STRATA_VERSION ?? '0.0.0-source';
