/** A JSON object whose fields nobody has vouched for. */
export type Fields = Record<string, unknown>;

/** Whether a JSON value is an object: neither a list nor null. */
export const isFields = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);
