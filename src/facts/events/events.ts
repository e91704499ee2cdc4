import type { KubeObject } from '../../model/kinds.ts';
import type { Family } from '../family.ts';
import { told } from './told.ts';

export { type EventRecord, eventEvidence, eventsOf } from './event-index.ts';
export { combine, currentEvents, shapeOf, type Told, told } from './told.ts';

export const family: Family = {
  name: 'events',
  doc: 'What was told of an object by events that are about this very object and still describe it.',
  types: {
    Told: {
      reason: { type: 'string', doc: 'reason of the event' },
      message: { type: 'string', doc: 'newest wording' },
      count: { type: 'double', doc: 'how often, over all events of one shape of message' },
      first: { type: 'string', doc: 'RFC 3339, the first time' },
      last: { type: 'string', doc: 'RFC 3339, the last time' },
      source: { type: 'string', doc: 'component that wrote it' },
      container: { type: 'string', doc: "container it is about, '' for the whole object" },
      quiet: { type: 'bool', doc: 'older than the next try of its kind could be: it may have gone well since; false for what nobody is known to try again' },
      text: { type: 'string', doc: 'reason, count, age and message in one line' },
      evidence: { type: 'Evidence', doc: 'address of the newest event' },
    },
  },
  functions: [
    {
      name: 'told',
      args: [
        { name: 'object', type: 'object' },
        { name: 'reasons', type: 'list<string>' },
        { name: 'like', type: 'string?' },
      ],
      returns: 'Told?',
      doc: 'The newest event of these reasons that still describes the object (newer than its recovery), joined with its like; `like` is a regular expression on the message. Null where nothing was told; raises unknown where events could not be read.',
      call: (world, _object, about, reasons, like) =>
        about ? told(world, about as KubeObject, (reasons ?? []) as string[], (like as string | null | undefined) ?? undefined) : null,
    },
  ],
};
