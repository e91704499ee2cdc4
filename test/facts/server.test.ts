import { describe, expect, it } from 'vitest';
import { serverFacts } from '../../src/facts/control-plane/server.ts';
import type { ApiServer } from '../../src/model/server.ts';
import { createWorld } from '../../src/facts/world.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { apiServer, before, forbidden, NOW, type Patch } from '../build.ts';
import { classify, worldWith } from './texts.ts';

const seen = (patch: Patch) => serverFacts(worldWith([], { server: apiServer(patch) }));
const step = (name: string, ok: boolean, code = '', message = '') => ({ step: name, ok, ...(code ? { code } : {}), ...(message ? { message } : {}) });
const failed = (code: number | null, message: string, path = '/api/v1/namespaces/shop/pods') => ({ path, code, message });
const check = (name: string, ok: boolean) => ({ path: '/readyz', check: name, ok, ...(ok ? {} : { message: 'failed: reason withheld' }) });
const certificate = (patch: Partial<NonNullable<ApiServer['certificate']>> = {}) =>
  ({ subject: 'kube-apiserver', issuer: 'kubernetes-ca', notBefore: before(90_000), notAfter: before(-90_000), names: ['api.example'], ...patch });

describe('what keeps the API server from being asked', () => {
  const cases: [string, Patch, Patch][] = [
    ['nothing', { health: [check('etcd', true)] }, { cause: '', at: ['goal'] }],
    ['a dump says nothing of it', { reached: null, connection: [], failures: [] }, { cause: '', at: ['goal'], reached: true }],
    ['the name', { reached: false, connection: [step('dns', false, 'ENOTFOUND', 'getaddrinfo ENOTFOUND api.example')], failures: [failed(null, 'getaddrinfo ENOTFOUND api.example', '/version')] }, { cause: 'dns' }],
    ['nobody listens', { reached: false, connection: [step('dns', true), step('tcp', false, 'ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.1:6443')] }, { cause: 'tcp' }],
    ['the proxy', { reached: false, connection: [step('proxy', false, 'ECONNREFUSED', 'the proxy p:3128 does not answer: connect ECONNREFUSED 192.0.2.9:3128')] }, { cause: 'proxy' }],
    ['an expired certificate', { reached: false, connection: [step('tcp', true), step('tls', false, 'CERT_HAS_EXPIRED', 'certificate has expired')], certificate: certificate({ notAfter: before(3 * 86400) }) }, { cause: 'certificate', certificate: 'expired' }],
    ['a certificate from the future', { reached: false, connection: [step('tls', false, 'CERT_NOT_YET_VALID', 'certificate is not yet valid')], certificate: certificate({ notBefore: before(-600) }) }, { cause: 'certificate', certificate: 'not yet valid' }],
    ['another name', { reached: false, connection: [step('tls', false, 'ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames")], certificate: certificate() }, { cause: 'certificate', certificate: '' }],
    ['an unknown authority', { reached: false, connection: [step('tls', false, 'SELF_SIGNED_CERT_IN_CHAIN', 'certificate signed by unknown authority')] }, { cause: 'certificate' }],
    ['no TLS there', { reached: false, connection: [step('tls', false, 'EPROTO', 'wrong version number')] }, { cause: 'tls' }],
    ['silence', { reached: false, connection: [step('tls', true), step('http', false, 'ETIMEDOUT', 'no answer within 10 s')] }, { cause: 'http' }],
    ['the token', { failures: [failed(401, 'Unauthorized')], user: 'jane' }, { cause: 'unauthorized', expected: 'the credential of user jane is accepted' }],
    ['etcd by its check', { health: [check('', false), check('ping', true), check('etcd', false), check('etcd-readiness', false)] }, { cause: 'etcd', etcd: true, checks: ['etcd', 'etcd-readiness'] }],
    ['a hook of its own', { health: [check('', false), check('etcd', true), check('poststarthook/rbac/bootstrap-roles', false)] }, { cause: 'unready', etcd: false }],
    ['its answers', { health: [check('', true)], failures: [failed(504, 'Timeout: request did not complete within requested timeout')] }, { cause: 'failing' }],
    ['an extension that fails is not the server', { failures: [failed(503, 'service unavailable', '/apis/metrics.k8s.io/v1beta1/nodes')] }, { cause: '' }],
    ['a refused health check is no sickness', { health: [{ path: '/readyz', check: '', ok: false, code: 403, message: 'forbidden' }], failures: [failed(403, 'forbidden', '/readyz')] }, { cause: '' }],
    ['load', { failures: [failed(429, 'Too many requests, please try again later.')] }, { cause: 'throttled' }],
  ];
  it.each(cases)('%s', (_name, patch, expected) => {
    const facts = seen(patch);
    expect(facts).toMatchObject(expected);
    expect(facts.at).toEqual(facts.cause === '' ? ['goal'] : ['connect']);
    if (facts.cause !== '') {
      expect(facts.text.class).not.toBe('unknown');
      expect(facts.actual).not.toBe('');
      expect(facts.conclusion).not.toBe('');
      expect(facts.expected).not.toMatch(/[{}]/);
    }
  });

  it('points at the step that decides, and at all that failed', () => {
    const facts = seen({ reached: false, connection: [step('dns', true), step('tcp', false, 'ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.1:6443')], failures: [failed(null, 'read ECONNRESET', '/version')] });
    expect(facts.evidence).toMatchObject({ pointer: '/connection/1', object: { kind: 'APIServer' }, value: { code: 'ECONNREFUSED' } });
    expect(facts.proofs.map((proof) => proof.evidence.pointer)).toEqual(['/connection/1', '/failures/0']);
  });

  it('calls it forbidden only where nothing at all may be read', () => {
    const refused = apiServer({ failures: [failed(403, 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "shop"')] });
    expect(serverFacts(worldWith([], { server: refused })).cause).toBe('');
    const snapshot = new Snapshot({
      objects: [], coverage: [forbidden('Pod')], server: refused, capturedAt: NOW, source: { kind: 'cluster', name: '' }, cost: { requests: 1, bytes: 0, ms: 1 },
    });
    expect(serverFacts(createWorld(snapshot, classify)).cause).toBe('forbidden');
  });

  describe('says in one sentence what it is, and where to look', () => {
    const tls = (code: string, message: string) => ({ reached: false, connection: [step('tcp', true), step('tls', false, code, message)] });
    const altname = "Hostname/IP does not match certificate's altnames: Host: api.elsewhere.test. is not in the cert's altnames: DNS:api.example, IP Address:192.0.2.1";
    const denied = { failures: [failed(401, 'Unauthorized', '/version')], user: 'jane' };
    const cases: [string, Patch, Patch][] = [
      ['expired', { ...tls('CERT_HAS_EXPIRED', 'certificate has expired'), certificate: certificate({ notAfter: before(3 * 86_400) }) }, {
        says: "The API server's certificate expired 3d ago", expected: 'a certificate that is valid now, for api.example', actual: `valid until ${before(3 * 86_400)}, issued by kubernetes-ca`,
      }],
      ['another name than the host', { ...tls('ERR_TLS_CERT_ALTNAME_INVALID', altname), certificate: certificate({ names: ['a.test', 'b.test', 'c.test', 'd.test', '192.0.2.1'] }) }, {
        says: "The API server's certificate is not for api.example", expected: 'a certificate for api.example', actual: 'it is for a.test, b.test, c.test and 2 more, issued by kubernetes-ca',
      }],
      ['another name than tls-server-name', { ...tls('ERR_TLS_CERT_ALTNAME_INVALID', altname), serverName: 'api.elsewhere.test', certificate: certificate() }, {
        says: "The API server's certificate is not for api.elsewhere.test", expected: 'a certificate for api.elsewhere.test, the tls-server-name of the kubeconfig', actual: 'it is for api.example, issued by kubernetes-ca',
      }],
      ['an authority that nobody knows', { ...tls('CERT_SIGNATURE_FAILURE', 'the certificate is not signed by the authority that the kubeconfig names'), certificate: certificate() }, {
        says: "The API server's certificate is signed by another authority than the kubeconfig trusts", actual: 'one for api.example, issued by kubernetes-ca',
      }],
      ['a client certificate that has expired', { ...denied, credential: { kind: 'certificate', subject: 'jane', notBefore: before(90 * 86_400), notAfter: before(2 * 86_400) } }, {
        says: 'The client certificate of user jane expired 2d ago', expected: 'a client certificate that is valid now', actual: `valid until ${before(2 * 86_400)}, for jane; the server answers 401 Unauthorized`,
      }],
      ['a token that has expired', { ...denied, credential: { kind: 'token', subject: 'system:serviceaccount:ops:ci', notAfter: before(3_600) } }, { says: 'The token of user jane expired 1h ago' }],
      ['a token that is not from here', { ...denied, credential: { kind: 'token', subject: '' } }, { says: 'The API server does not accept the token of user jane', expected: 'the token of user jane is accepted' }],
      ['no credential', { ...denied, credential: { kind: 'none', subject: '' } }, { says: 'The kubeconfig shows the API server no credential' }],
    ];
    it.each(cases)('%s', (_name, patch, expected) => {
      const facts = seen(patch);
      expect(facts).toMatchObject(expected);
      expect(facts.look).toMatch(/^(kubectl|openssl|date) /);
    });

    it('an anonymous answer is no question of roles', () => {
      const server = apiServer({ failures: [failed(403, 'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "shop"')] });
      const snapshot = new Snapshot({ objects: [], coverage: [forbidden('Pod')], server, capturedAt: NOW, source: { kind: 'cluster', name: '' }, cost: { requests: 1, bytes: 0, ms: 1 } });
      expect(serverFacts(createWorld(snapshot, classify)).says).toContain('no credential reached it');
    });

    it('the same error of the next request is no more evidence', () => {
      const refused = 'connect ECONNREFUSED 192.0.2.1:6443';
      const facts = seen({ reached: false, connection: [step('tcp', false, 'ECONNREFUSED', refused)], failures: [failed(null, refused, '/version')] });
      expect(facts.proofs.map((proof) => proof.text)).toEqual([`tcp to api.example:6443 failed: ${refused}`]);
    });
  });

  it('believes a read that storage answered more than a health check that ran out of time', () => {
    const health = [check('', false), check('ping', true), check('etcd', false), check('etcd-readiness', false)];
    expect(seen({ health, consistentRead: true })).toMatchObject({ cause: '', at: ['goal'], etcd: false, checks: [] });
    expect(seen({ health })).toMatchObject({ cause: 'etcd' });
    const failures = [{ path: '/api/v1/events', code: 500, message: 'Internal error occurred: etcdserver: no leader' }];
    expect(seen({ health, failures })).toMatchObject({ cause: 'etcd', text: { class: 'etcd-no-leader' } });
    expect(seen({ health, consistentRead: false })).toMatchObject({ cause: 'etcd' });
    const more = [...health, check('poststarthook/rbac/bootstrap-roles', false)];
    expect(seen({ health: more, consistentRead: true })).toMatchObject({ cause: 'unready', checks: ['poststarthook/rbac/bootstrap-roles'] });
  });
});
