import type { Ingress } from '../../model/kinds.ts';
import type { Family } from '../family.ts';
import { ingressFacts } from './ingress.ts';
import { GATEWAY_KINDS, gatewayFacts } from './ingress-gateway.ts';

export const family: Family = {
  name: 'ingress',
  doc: 'Routes into the cluster: the class that has to serve them, and the Services they lead to.',
  types: {
    IngressFacts: {
      at: {
        type: 'list<string>',
        doc: '`select` (its class does not exist, or it has none), `endpoints` (a Service is absent), `answer` (a port or a TLS Secret is absent), `condition` (its controller says that it fails), `goal`',
      },
      young: { type: 'bool', doc: 'just created' },
      className: { type: 'string', doc: "class by field or annotation, or ''" },
      classObject: { type: 'object?', doc: 'its IngressClass, the default one where it names none' },
      classAbsent: { type: 'bool', doc: 'the class named by the field is proven absent and nobody has given it an address' },
      unclaimed: { type: 'bool', doc: 'it names no class and none is the default' },
      backends: { type: 'list<Backend>', doc: 'where it leads' },
      broken: { type: 'list<Backend>', doc: 'those whose Service or port is proven absent' },
      certificates: { type: 'list<Certificate>', doc: 'its TLS Secrets' },
      address: { type: 'bool', doc: 'a controller has published an address' },
      said: { type: 'Told?', doc: 'what its controller fails at; raises unknown where events were not read' },
      text: { type: 'Text?', doc: 'that by table `services`' },
      evidence: { type: 'Evidence', doc: 'its class' },
    },
    Backend: {
      route: { type: 'string', doc: 'host and path, or the rule' },
      service: { type: 'string', doc: 'name of the Service' },
      namespace: { type: 'string', doc: 'its namespace' },
      port: { type: 'string', doc: "name or number, or ''" },
      object: { type: 'object?', doc: 'the Service; null where proven absent' },
      absent: { type: 'bool', doc: 'the Service is proven absent' },
      portAbsent: { type: 'bool', doc: 'the Service has no such port' },
      has: { type: 'list<string>', doc: 'ports it has: `http 80`' },
      backend: { type: 'Svc?', doc: 'facts of the Service' },
      evidence: { type: 'Evidence', doc: 'the backend in the route' },
    },
    Certificate: {
      secret: { type: 'string', doc: 'name of the Secret' },
      hosts: { type: 'list<string>', doc: 'hosts it is for' },
      absent: { type: 'bool', doc: 'the Secret is proven absent' },
      evidence: { type: 'Evidence', doc: 'its entry' },
    },
    GatewayFacts: {
      at: {
        type: 'list<string>',
        doc: '`select` (its class does not exist), `endpoints` (a Service is absent), `answer` (a port is absent), `condition` (its controller says no), `observe` (no controller has judged it), `goal`',
      },
      young: { type: 'bool', doc: 'just created' },
      className: { type: 'string', doc: "class of a Gateway, or ''" },
      classObject: { type: 'object?', doc: 'its GatewayClass' },
      classAbsent: { type: 'bool', doc: 'the class is proven absent' },
      classRefused: { type: 'Condition?', doc: "the class's condition Accepted, where that is False" },
      orphaned: { type: 'list<string>', doc: 'Gateways that a route names as its parents and that do not exist' },
      shut: { type: 'list<object>', doc: 'Gateways that a route which nobody has judged names as its parents, and whose class is absent or refused' },
      failing: { type: 'list<Condition>', doc: 'conditions that are not as they should be: its own, its listeners, its parents' },
      backends: { type: 'list<Backend>', doc: 'Services that a route leads to' },
      broken: { type: 'list<Backend>', doc: 'those whose Service or port is proven absent' },
      behind: { type: 'double', doc: 'the newest generation that its conditions are of, where the spec has been newer for minutes; else 0' },
      silent: { type: 'bool', doc: 'no controller has judged it' },
      evidence: { type: 'Evidence', doc: 'the condition, or the class' },
    },
  },
  variables: [
    { name: 'ingress', kinds: ['Ingress'], type: 'IngressFacts', doc: 'routes of an Ingress', of: (world, object) => ingressFacts(world, object as Ingress) },
    {
      name: 'gateway',
      kinds: GATEWAY_KINDS,
      type: 'GatewayFacts',
      doc: 'a Gateway, or a route through one',
      of: (world, object) => gatewayFacts(world, object),
    },
  ],
};
