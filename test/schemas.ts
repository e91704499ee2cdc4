/** The schemas that the package publishes. */
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

export type SchemaName = 'report' | 'access' | 'trace';

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ } });
const compiled = new Map<SchemaName, ValidateFunction>();

/** What is wrong with a value by a published schema; '' where nothing is. As JSON has it: what is undefined is absent. */
export function wrongBy(name: SchemaName, value: unknown): string {
  let valid = compiled.get(name);
  if (!valid) compiled.set(name, (valid = ajv.compile(JSON.parse(readFileSync(new URL(`../src/render/${name}.schema.json`, import.meta.url), 'utf8')) as object)));
  return valid(JSON.parse(JSON.stringify(value))) ? '' : JSON.stringify(valid.errors, null, 1);
}

/** The value, where it is what the schema says. */
export function validBy<T>(name: SchemaName, value: T): T {
  const wrong = wrongBy(name, value);
  if (wrong !== '') throw new Error(`not what ${name}.schema.json says: ${wrong}`);
  return value;
}
