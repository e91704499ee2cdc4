import type { Report } from '../model/report.ts';

export interface Style {
  color: boolean;
  /** Columns. */
  width: number;
  verbose: boolean;
  /** What each rule finds, by its id, for formats that describe rules apart from what they found. */
  titles?: ReadonlyMap<string, string> | undefined;
  /** `--context staging`: how the caller reached the cluster, for the next steps. */
  reach?: string | undefined;
}

/** Pure: a report in, the whole output out, with its last line break. */
export type Renderer = (report: Report, style: Style) => string;

/** Name of a format to its renderer, loaded when chosen. */
export const RENDERERS: Record<string, () => Promise<Renderer>> = {
  text: async () => (await import('./text.ts')).renderText,
  json: async () => (await import('./json.ts')).renderJson,
  junit: async () => (await import('./junit.ts')).renderJunit,
  sarif: async () => (await import('./sarif.ts')).renderSarif,
  github: async () => (await import('./github.ts')).renderGithub,
  gitlab: async () => (await import('./gitlab.ts')).renderGitlab,
  markdown: async () => (await import('./markdown.ts')).renderMarkdown,
};

export const FORMATS = Object.keys(RENDERERS);
