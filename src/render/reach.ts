const COMMAND = /(^|[|;&] )kubectl (strata (?:(?:access|explain|gate|record|trace) )?)?(?=\S)/g;

/**
 * A next step as it has to be typed to reach the cluster that was asked, and not the one that is current by then. kubectl takes its flags
 * before the verb, and none before the name of a plugin.
 */
export const reaching = (line: string, flags: string | undefined): string =>
  flags ? line.replace(COMMAND, (_, before: string, plugin: string | undefined) => `${before}kubectl ${plugin ?? ''}${flags} `) : line;
