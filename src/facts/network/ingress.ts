import type { Ingress, KubeObject, Service } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt, need, proven } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { lastingComplaintOf } from '../custom/events.ts';
import { type Svc, svcFacts } from './endpoints.ts';
import { lazy } from '../lazy.ts';
import { listOf, textsOf } from '../lists.ts';
import { type Told, told } from '../events/told.ts';
import { ageOf, isWithin } from '../time.ts';
import type { World } from '../world.ts';

/** Where a route leads: one Service and port, as an Ingress or a Gateway route names it. */
export interface Backend extends Addressed {
  /** `shop.example/cart`, or `default`. */
  route: string;
  service: string;
  namespace: string;
  /** Name or number, '' where none is given. */
  port: string;
  object: Service | null;
  /** The Service is proven absent. */
  absent: boolean;
  /** The Service is there and has no such port. */
  portAbsent: boolean;
  /** The ports it has: `http 80`. */
  has: string[];
  backend: Svc | null;
}

export interface Certificate extends Addressed {
  secret: string;
  hosts: readonly string[];
  absent: boolean;
}

export interface IngressFacts extends Addressed {
  at: Stage[];
  young: boolean;
  /** spec.ingressClassName, else the old annotation; '' where the default class is to serve. */
  className: string;
  classObject: KubeObject | null;
  /** It names a class by spec.ingressClassName that is proven absent, and no controller has given it an address. */
  classAbsent: boolean;
  /** It names no class, and no class is the default one. */
  unclaimed: boolean;
  backends: Backend[];
  /** Those whose Service or port is proven absent. Raises Unknown where none is and Services could not be read. */
  broken: Backend[];
  certificates: Certificate[];
  /** A controller has published an address. */
  address: boolean;
  /** What its controller fails at; null where it does not say. Raises Unknown where events were not read. */
  said: Told | null;
  /** That by table `services`. */
  text: Text | null;
}

const YOUNG = 60;
const SILENT = 1200;
// aws-load-balancer-controller and GKE's ingress-gce (reason Translate) say it in events alone; Sync is both kinds of news.
const REFUSALS = ['FailedBuildModel', 'FailedDeployModel', 'FailedAddFinalizer', 'FailedUpdateStatus', 'Translate', 'Sync'];
const FAILS = '[Ff]ailed|[Ee]rror';
const FAULT = /(?:Fail(?:ed|ure)?|Error|Rejected|Invalid)(?=[A-Z]|$)/;
const OLD_CLASS = 'kubernetes.io/ingress.class';
const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';
// Served by their cloud without an IngressClass object.
const BUILT_IN = new Set(['gce', 'gce-internal', 'gce-multi-cluster']);

/** The facts of an Ingress, made once a snapshot. */
export function ingressFacts(world: World, ingress: Ingress): IngressFacts {
  return world.memo(ingress, 'ingress', () => {
    const { namespace = '' } = ingress.metadata;
    const annotations = textsOf(ingress.metadata.annotations);
    const named = ingress.spec?.ingressClassName ?? '';
    const className = named || annotations[OLD_CLASS] || '';
    const classes = (): readonly KubeObject[] => need(world.snapshot.list('IngressClass')) ?? [];
    const facts: IngressFacts = lazy<IngressFacts>({
      at: () => standing(facts),
      young: () => isWithin(world.now, ingress.metadata.creationTimestamp, YOUNG),
      className: () => className,
      classObject: () => (className === '' ? (classes().find(isDefault) ?? null) : (classes().find((each) => each.metadata.name === className) ?? null)),
      // The annotation names a controller's own word, not an IngressClass; only the field must refer to an object.
      classAbsent: () => named !== '' && !BUILT_IN.has(named) && !facts.address && facts.classObject === null,
      unclaimed: () => className === '' && !facts.address && facts.classObject === null,
      backends: () => backendsOf(world, ingress, namespace),
      broken: () => proven(facts.backends, (each) => each.absent || each.portAbsent),
      certificates: () => certificatesOf(world, ingress, namespace),
      // Its controller tries again after minutes at most: with an address and without a word since, it has gone well.
      said: () => {
        const said = told(world, ingress, REFUSALS, FAILS) ?? troubleOf(world, ingress);
        return said && facts.address && (ageOf(world.now, said.last) ?? 0) > SILENT ? null : said;
      },
      text: () => (facts.said ? world.classify('services', facts.said.message) : null),
      address: () => listOf(ingress.status?.loadBalancer?.ingress).length > 0,
      evidence: () => evidenceAt(ingress, named ? '/spec/ingressClassName' : '/spec', `Ingress of class ${className || '(default)'}`),
    });
    return facts;
  });
}

/** Reasons differ from controller to controller: what one complains of for minutes, by a reason that says that something failed. */
function troubleOf(world: World, ingress: Ingress): Told | null {
  const said = lastingComplaintOf(world, ingress);
  return said && FAULT.test(said.reason) ? said : null;
}

const isDefault = (object: KubeObject): boolean => textsOf(object.metadata.annotations)[DEFAULT_CLASS] === 'true';

function standing(facts: IngressFacts): Stage[] {
  if (attempt(() => facts.classAbsent) === true) return ['select'];
  const broken = attempt(() => facts.broken) ?? [];
  if (broken.some((each) => each.absent)) return ['endpoints'];
  if (broken.length > 0 || facts.certificates.some((each) => attempt(() => each.absent) === true)) return ['answer'];
  if (attempt(() => facts.said)) return ['condition'];
  return attempt(() => facts.unclaimed) === true ? ['select'] : ['goal'];
}

interface BackendSpec {
  service?: { name?: string; port?: { name?: string; number?: number } };
  serviceName?: string;
  servicePort?: string | number;
}

function backendsOf(world: World, ingress: Ingress, namespace: string): Backend[] {
  const found: Backend[] = [];
  const add = (spec: BackendSpec | undefined, route: string, pointer: string): void => {
    // Before networking/v1 the backend had serviceName and servicePort; a `resource` backend names no Service.
    const service = spec?.service?.name ?? spec?.serviceName;
    const port = spec?.service?.port?.name ?? spec?.service?.port?.number ?? spec?.servicePort ?? '';
    // The name of an action in an annotation, not of a Service (aws-load-balancer-controller).
    if (!service || port === 'use-annotation') return;
    found.push(backendTo(world, ingress, { route, namespace, service, port: String(port), pointer }));
  };
  const { spec } = ingress as {
    spec?: {
      defaultBackend?: BackendSpec;
      backend?: BackendSpec;
      rules?: { host?: string; http?: { paths?: { path?: string; backend?: BackendSpec }[] } }[];
    };
  };
  add(spec?.defaultBackend ?? spec?.backend, 'default', spec?.defaultBackend ? '/spec/defaultBackend' : '/spec/backend');
  for (const [i, rule] of listOf(spec?.rules).entries()) {
    for (const [j, path] of listOf(rule.http?.paths).entries())
      add(path.backend, `${rule.host ?? '*'}${path.path ?? '/'}`, `/spec/rules/${i}/http/paths/${j}/backend`);
  }
  return found;
}

interface Named {
  route: string;
  namespace: string;
  service: string;
  port: string;
  pointer: string;
}

/** One backend that a rule names. Fields raise Unknown where Services were not read. */
export function backendTo(world: World, object: KubeObject, { route, namespace, service, port, pointer }: Named): Backend {
  const get = (): Service | null => need(world.snapshot.get('Service', namespace, service));
  const ports = (): { name: string; number: string }[] =>
    listOf(get()?.spec?.ports).map((each) => ({ name: each.name ?? '', number: String(each.port ?? '') }));
  const backend: Backend = lazy<Backend>({
    route: () => route,
    service: () => service,
    namespace: () => namespace,
    port: () => port,
    object: get,
    absent: () => get() === null,
    portAbsent: () =>
      port !== '' && get() !== null && get()?.spec?.type !== 'ExternalName' && !ports().some((each) => each.name === port || each.number === port),
    has: () => ports().map((each) => `${each.name} ${each.number}`.trim()),
    backend: () => {
      const found = get();
      return found ? svcFacts(world, found) : null;
    },
    evidence: () => evidenceAt(object, pointer, `${route} leads to Service ${namespace}/${service}${port ? ` port ${port}` : ''}`),
  });
  return backend;
}

function certificatesOf(world: World, ingress: Ingress, namespace: string): Certificate[] {
  return listOf(ingress.spec?.tls).flatMap((tls, index) => {
    const secret = tls.secretName;
    if (!secret) return [];
    const certificate: Certificate = lazy<Certificate>({
      secret: () => secret,
      hosts: () => listOf(tls.hosts),
      absent: () => need(world.snapshot.get('Secret', namespace, secret)) === null,
      evidence: () => evidenceAt(ingress, `/spec/tls/${index}`, `TLS of ${listOf(tls.hosts).join(', ') || 'all hosts'} by Secret ${secret}`),
    });
    return [certificate];
  });
}
