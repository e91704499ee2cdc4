import { UserError } from '../model/errors.ts';
import { FORMATS, RENDERERS, type Renderer } from '../render/index.ts';

/** The renderer that `-o` names; text where it names none. */
export async function rendererOf(format = 'text'): Promise<Renderer> {
  const load = Object.hasOwn(RENDERERS, format) ? RENDERERS[format] : undefined;
  if (!load) throw new UserError(`There is no output format "${format}".`, `-o takes one of: ${FORMATS.join(', ')}.`);
  return load();
}
