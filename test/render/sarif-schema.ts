/** OASIS's own schema of SARIF 2.1.0, and its formats as their RFCs say them. */
import { Ajv, type ValidateFunction } from 'ajv';
import schema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' };

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
// RFC 3986: what may stand in a reference, percent-encoded or not; and a first segment without a colon unless it is a scheme.
const isReference = (text: string): boolean => /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/.test(text) && !/^[^A-Za-z/?#][^/?#]*:/.test(text);
const isUri = (text: string): boolean => isReference(text) && /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text);

// Of draft 4, which it names, it uses nothing that draft 7 reads otherwise but the name of its own id.
const { $schema: _draft, id: _id, ...rules } = schema;

export const isSarif: ValidateFunction = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false, formats: { uri: isUri, 'uri-reference': isReference, 'date-time': isDate } }).compile(rules);
