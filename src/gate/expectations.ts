import { plural, some } from '../facts/words.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Expectations } from './options.ts';
import type { FencedTarget } from './state.ts';
import { imagesOf, sameImage } from './targets.ts';

export interface Unmet {
  expected: string;
  actual: string;
  pointer: string;
}

/** What is not as the caller said it would be: a rollout that has not begun must not pass by the old one's health. */
export function unmet(object: KubeObject, expect: Expectations, fenced: FencedTarget | undefined, all: readonly KubeObject[]): Unmet | null {
  const { generation = 0, uid } = object.metadata;
  if (expect.generation !== undefined && generation < expect.generation) {
    return { expected: `generation ${expect.generation} or newer`, actual: `generation ${generation}`, pointer: '/metadata/generation' };
  }
  if (expect.change && fenced && uid === fenced.uid && generation <= fenced.generation) {
    return {
      expected: `a change after the gate began (a generation after ${fenced.generation})`,
      actual: `generation ${generation}, as at the beginning`,
      pointer: '/metadata/generation',
    };
  }
  const images = imagesOf(object);
  // With several targets an image is one of them's; it is asked of those that have any container.
  const missing = expect.images.filter((image) => !all.some((each) => imagesOf(each).some((has) => sameImage(image, has))));
  if (missing.length > 0 && images.length > 0) {
    return {
      expected: `image ${some(missing)} in its template`,
      actual: `${plural(images.length, 'image')}: ${some(images)}`,
      pointer: '/spec/template/spec/containers',
    };
  }
  return null;
}
