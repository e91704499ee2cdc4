import type { Pod, PodSpec } from '../../model/kinds.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { listOf, textsOf } from '../lists.ts';
import { controllerRef } from '../owners.ts';
import { timeOf } from '../time.ts';
import { some } from '../words.ts';

/** By what containers are known to be helpers beside the work: put in on the way, or of a name, image or mark that says so. */
export type Helpers = 'injected' | 'known' | '';

/** A pod of its own whose work is done and that other containers keep running. */
export interface HeldPod extends Addressed {
  done: string[];
  holding: string[];
  helpers: Helpers;
}

// Sidecars may take a moment to ship what is left.
const DRAIN = 60_000;

/** One of its containers has ended with 0, the others run, and nothing else has ended. */
export function isHeldUp(pod: Pod, now: number): boolean {
  if (pod.status?.phase !== 'Running') return false;
  const states = listOf(pod.status.containerStatuses).map((status) => status.state);
  const ended = states.map((state) => timeOf(state?.terminated?.finishedAt) ?? 0);
  if (now - Math.max(...ended, 0) < DRAIN) return false;
  return (
    states.some((state) => state?.terminated?.exitCode === 0) &&
    states.some((state) => state?.running) &&
    states.every((state) => state?.running || state?.terminated?.exitCode === 0)
  );
}

export const runningIn = (pod: Pod): string[] =>
  listOf(pod.status?.containerStatuses)
    .filter(({ state }) => state?.running)
    .map(({ name }) => name ?? '');

// Proxies, agents and shippers that run until they are told to stop. Their images and names are their projects' own.
const HELPER =
  /^(?:istio-proxy|linkerd-proxy|envoy(?:-sidecar|-proxy)?|consul-(?:dataplane|connect-.*)|kuma-sidecar|osm-proxy|aws-appmesh-.*|queue-proxy|daprd|vault-agent|cloud-?sql-(?:auth-)?proxy|alloydb-auth-proxy|oauth2-proxy|fluent-?bit|fluentd|filebeat|promtail|vector|datadog-agent|otc-container|otel-collector|jaeger-agent|newrelic-.*|gke-gcsfuse-sidecar|tailscale)$/;
const IMAGE =
  /(?:^|\/)(?:proxyv2|istio-proxy|linkerd2?-proxy|proxy-init|envoy|consul-dataplane|kuma-dp|daprd|vault|cloud-sql-proxy|gce-proxy|alloydb-auth-proxy|oauth2-proxy|fluent-bit|fluentd|filebeat|promtail|vector|opentelemetry-collector(?:-contrib)?|jaeger-agent)(?=$|[:@])/;
// The container that kubectl takes for the pod's own (kubectl, cmd/util/podcmd); injectors set it to the one they found.
const OWN = 'kubectl.kubernetes.io/default-container';

// Names by which people say that a container is company.
const COMPANY = /(?:^|-)(?:sidecar|logger|logging|log-?(?:shipper|forwarder|collector|tailer)|proxy|agent|exporter|reloader)$/;

/** What the template does not have was put in by admission; the work cannot be its. */
export function helpersAmong(held: readonly Pod[], holding: readonly string[], template: PodSpec | undefined): Helpers {
  if (held.length === 0) return '';
  const asked = new Set(listOf(template?.containers).map(({ name }) => name));
  if (asked.size > 0 && holding.every((name) => !asked.has(name))) return 'injected';
  const own = held.every(({ metadata }) => {
    const name = textsOf(metadata.annotations)[OWN];
    return name !== undefined && asked.has(name) && !holding.includes(name);
  });
  const images = new Map(held.flatMap((pod) => listOf(pod.spec?.containers).map(({ name, image }) => [name ?? '', image ?? ''] as const)));
  const isHelper = (name: string): boolean => !asked.has(name) || HELPER.test(name) || COMPANY.test(name) || IMAGE.test(images.get(name) ?? '');
  return own || holding.every(isHelper) ? 'known' : '';
}

/** Null for a pod that a controller made: that one knows when its work is done. */
export function heldOf(pod: Pod, now: number): HeldPod | null {
  if (controllerRef(pod) || (pod.spec?.restartPolicy ?? 'Always') === 'Always' || !isHeldUp(pod, now)) return null;
  const holding = runningIn(pod);
  const done = listOf(pod.status?.containerStatuses)
    .filter(({ state }) => state?.terminated)
    .map(({ name }) => name ?? '');
  return {
    done,
    holding,
    helpers: helpersAmong([pod], holding, pod.spec),
    evidence: evidenceAt(pod, '/status/containerStatuses', `${some(done)} ended with code 0, ${some(holding)} running`),
  };
}
