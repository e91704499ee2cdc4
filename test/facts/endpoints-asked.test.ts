import { describe, expect, it } from 'vitest';
import { servicesAsked } from '../../src/facts/network/endpoints-asked.ts';
import { service, worldOf } from '../build.ts';

const world = worldOf([
  service('pg', { spec: { clusterIP: '10.96.4.7', ports: [{ port: 5432 }] } }),
  service('pg', { metadata: { namespace: 'data', uid: 'other' }, spec: { clusterIP: '10.96.4.8', ports: [{ port: 5432 }] } }),
  service('error', { spec: { ports: [{ port: 80 }] } }),
]);

describe('Services that a process names in its last words', () => {
  it.each<[string, string[]]>([
    ['dial tcp: pg.data.svc.cluster.local:5432: connection refused', ['data/pg']],
    ['could not connect to pg:5432', ['shop/pg']],
    ['connect to redis://pg/0 failed', ['shop/pg']],
    ['could not connect: host "pg" port 5432', ['shop/pg']],
    ['dial tcp 10.96.4.8:5432: connect: connection refused', ['data/pg']],
    ['dial tcp 10.96.4.80:5432: connect: connection refused', []],
    ['db.pg:5432 refused', []],
    ['error: no connection to pg', []],
    ['pgbouncer.example.com:5432 refused', []],
  ])('%s', (words, want) => {
    expect(servicesAsked(world, 'shop', words).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(want);
  });
});
