import type { CustomResourceDefinition, KubeObject, Service } from '../../model/kinds.ts';
import type { Layer } from '../../model/layer.ts';
import { groupBy, listOf } from '../lists.ts';
import type { World } from '../world.ts';

/** What the API server itself asks through a Service: an aggregated API, a conversion, a webhook that must answer. */
export interface Front {
  object: KubeObject;
  layer: Layer;
}

interface Reference {
  name?: string | undefined;
  namespace?: string | undefined;
}

const keyOf = ({ namespace, name }: Reference): string => `${namespace ?? ''}/${name ?? ''}`;

/** Those that were seen; what was not read has no say. */
export function frontsOf(world: World, service: Service): readonly Front[] {
  const index = world.memo(world.snapshot, 'svc:fronts', () => groupBy(fronts(world), ({ to }) => to));
  return index.get(keyOf(service.metadata)) ?? [];
}

function fronts(world: World): (Front & { to: string })[] {
  const apis = world.snapshot.seen('APIService').flatMap((object) => {
    const { service } = (object['spec'] ?? {}) as { service?: Reference | null };
    return service?.name ? [{ to: keyOf(service), object, layer: 'api' as const }] : [];
  });
  const conversions = world.snapshot.seen('CustomResourceDefinition').flatMap((object) => {
    const service = (object as CustomResourceDefinition).spec?.conversion?.webhook?.clientConfig?.service;
    return service?.name ? [{ to: keyOf(service), object, layer: 'api' as const }] : [];
  });
  const webhooks = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']
    .flatMap((kind) => world.snapshot.seen(kind))
    .flatMap((object) =>
      listOf((object as { webhooks?: { failurePolicy?: string; clientConfig?: { service?: Reference } }[] }).webhooks).flatMap(
        ({ failurePolicy, clientConfig }) =>
          // An absent failurePolicy is Fail (admissionregistration.k8s.io/v1).
          clientConfig?.service?.name && failurePolicy !== 'Ignore' ? [{ to: keyOf(clientConfig.service), object, layer: 'admission' as const }] : [],
      ),
    );
  return [...apis, ...conversions, ...webhooks];
}
