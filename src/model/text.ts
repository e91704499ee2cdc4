import type { Capability, Layer, Permanence } from './layer.ts';

/** One row of a text table: a sentence of Kubernetes, a runtime, a plugin or a driver. First match in a table wins. */
export interface TextRow {
  /** Stable id inside its table, kebab-case: `not-found`, `unauthorized`. Rules compare against it as `text.class`. */
  class: string;
  /** JavaScript regular expression (no inline flags), as anchored as the sentence is; named groups become `captures`. */
  match: string;
  flags?: string | undefined;
  layer: Layer;
  /** What it means, in our words; may use captures as {name}. */
  says: string;
  /** What the object is short of when it gets this text. */
  lacks?: Capability | undefined;
  permanence?: Permanence | undefined;
  /** Who writes it: component and, where known, versions (`containerd >=1.6`). */
  from: string;
  /** A real sentence that reaches this row first; variables filled in. */
  example: string;
  /** Rows of the signal catalogue and the knowledge checklist it covers. */
  covers?: string[] | undefined;
  /** The one look or change that follows, as a pasteable line; may use captures and {ns} {name} {node}. */
  next?: string | undefined;
}

/** Wrappers are peeled from the outside in before rows are tried: `Error creating: (?<rest>.*)`. */
export interface TextTable {
  family: string;
  doc: string;
  peel: string[];
  rows: TextRow[];
}

/** A classified text. `class` is `unknown` where no row matched; then `says` is the text itself, shortened. */
export interface Text {
  class: string;
  family: string;
  layer: Layer | '';
  says: string;
  lacks: Capability | '';
  permanence: Permanence | '';
  captures: Record<string, string>;
  next: string;
  /** The innermost text that was matched. */
  inner: string;
  /** The words in it by which the row knew it; '' where none did. */
  core: string;
  /** The whole text, verbatim. */
  message: string;
}
