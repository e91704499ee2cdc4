import type { KubeObject } from '../../model/kinds.ts';
import { countMarkers } from '../redact/marker.ts';

/** Where values were taken out of one object, as JSON pointers. */
export interface Redaction {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  name: string;
  at: string[];
}

export interface RedactionReport {
  /** Values taken out. */
  values: number;
  objects: Redaction[];
}

/** What was taken out, read from what is left: markers, and the emptied values of Secrets and ConfigMaps. */
export interface RedactionLog {
  see(object: KubeObject, line: string): void;
  report(): RedactionReport;
}

/** Notes where values were taken out, never the values. */
export function createRedactionLog(): RedactionLog {
  const objects: Redaction[] = [];
  let values = 0;
  return {
    see(object, line) {
      const {
        kind,
        apiVersion,
        metadata: { namespace, name },
      } = object;
      const holder = apiVersion === 'v1' && (kind === 'Secret' || kind === 'ConfigMap');
      if (!holder && !line.includes('<redacted ')) return;
      const at: string[] = [];
      const walk = (value: unknown, pointer: string): void => {
        if (typeof value === 'string') {
          const count = holder && /^\/(?:data|stringData|binaryData)\//.test(pointer) && value === '' ? 1 : countMarkers(value);
          values += count;
          if (count > 0) at.push(pointer);
        } else if (value !== null && typeof value === 'object')
          for (const [key, held] of Object.entries(value)) walk(held, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
      };
      walk(object, '');
      if (at.length > 0) objects.push({ apiVersion, kind, ...(namespace ? { namespace } : {}), name, at });
    },
    report: () => ({ values, objects }),
  };
}
