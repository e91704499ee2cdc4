import { describe, expect, test } from 'vitest';
import { headline } from '../../src/facts/headline.ts';
import { cut } from '../../src/facts/words.ts';

describe('cut', () => {
  test('leaves what fits alone', () => {
    expect(cut('three short words', 17)).toBe('three short words');
  });

  test('of sentences and lists keeps the beginning, between words', () => {
    const told = '0/5 nodes are available: 3 Insufficient memory, 2 node(s) had untolerated taint {dedicated: db}. preemption: 0/5 nodes are available: 5 No victims.';
    expect(cut(told, 60)).toBe('0/5 nodes are available: 3 Insufficient memory, 2 node(s)…');
    expect(cut('one, two, three, four', 12)).toBe('one, two…');
  });

  test('of a wrapped error keeps the innermost cause, for that is what happened', () => {
    const pull = 'failed to resolve reference "registry.shop.test/cart:9": failed to do request: Head "https://registry.shop.test/v2/cart/manifests/9": dial tcp 198.51.100.1:443: connect: connection refused';
    const short = cut(pull, 120);
    expect(short).toBe('failed to resolve reference "registry.shop.test/cart:9": … dial tcp 198.51.100.1:443: connect: connection refused');
    expect(cut(pull, 60)).toBe('… dial tcp 198.51.100.1:443: connect: connection refused');
    expect(cut(pull, 60).length).toBeLessThanOrEqual(60);
  });

  test('leaves out the URL of a request before what became of it', () => {
    const pull = 'failed to resolve reference "r.test/cart:9": failed to do request: Head "https://r.test/v2/cart/manifests/9?ns=r.test": dial tcp 198.51.100.1:443: connect: connection refused';
    expect(cut(pull, 150)).toBe('failed to resolve reference "r.test/cart:9": … dial tcp 198.51.100.1:443: connect: connection refused');
  });

  test('takes a list of names and values for one cause', () => {
    const refused = 'condition ReplicaFailure=True FailedCreate: pods "web-6d4b75cb6d-x2p5v" is forbidden: exceeded quota: team, requested: cpu=1, used: cpu=2, limited: cpu=2';
    expect(cut(refused, 120)).toBe('condition ReplicaFailure=True FailedCreate: … exceeded quota: team, requested: cpu=1, used: cpu=2, limited: cpu=2');
  });

  test('of an aside in brackets makes no level of its own', () => {
    const told = 'container has runAsNonRoot and image will run as root (pod: "shop-58c6cf9c68-4gkc8_orders(a7edaf50-e050-4202-89b8-aa0dd33a417e)", container: app)';
    expect(cut(told, 120)).toBe('container has runAsNonRoot and image will run as root (pod: "shop-58c6cf9c68-4gkc8_orders(a7edaf50-e050-4202-89b8-aa0dd…');
  });

  test('does not mark twice what was cut before', () => {
    expect(cut('the outer error that is long enough to go: … dial tcp 1.2.3.4:1: connect: connection refused', 60)).toBe('… dial tcp 1.2.3.4:1: connect: connection refused');
  });

  test('never gives more than it may, whatever the text is made of', () => {
    for (const text of ['x'.repeat(300), 'a: '.repeat(100), 'word '.repeat(100), `${'n'.repeat(150)}: b: c`, ': : : : : : : : : : : : : : :']) {
      for (const n of [2, 10, 40, 100]) expect(cut(text, n).length).toBeLessThanOrEqual(n);
    }
  });
});

describe('headline', () => {
  test('is one sentence: what stands behind a colon begins small, names and kinds do not', () => {
    expect(headline('Image a/b:1 cannot be pulled: The registry has no such tag')).toBe('Image a/b:1 cannot be pulled: the registry has no such tag');
    expect(headline('APIService x is unavailable: The API is served by Service a/b')).toBe('APIService x is unavailable: the API is served by Service a/b');
    expect(headline('Container app cannot be started: ConfigMap settings does not exist')).toBe('Container app cannot be started: ConfigMap settings does not exist');
    expect(headline("Container app is killed: cat: /tmp/ready: No such file")).toBe("Container app is killed: cat: /tmp/ready: No such file");
    expect(headline('Database/db: Access denied for user "No"')).toBe('Database/db: Access denied for user "No"');
  });

  test('stays within two lines; a remark in brackets goes first', () => {
    const said = 'The VPC plugin has no address to give on this node at all, and so no pod begins (interface limit of the instance, or no free address in the subnet)';
    expect(headline(said)).toBe('The VPC plugin has no address to give on this node at all, and so no pod begins');
    expect(headline('word '.repeat(60)).length).toBeLessThanOrEqual(130);
  });

  test('keeps words of ours and the last words of who is quoted', () => {
    const said = 'Namespace lab stays: objects of 1 kind could not be deleted: unexpected items still remain in namespace: lab for gvr: /v1, Resource=pods and another';
    expect(headline(said)).toBe('Namespace lab stays: objects of 1 kind could not be deleted: unexpected items still remain in namespace: lab for gvr: /v1…');
    const ours = 'No sandbox on worker-1: Network plugin lab refused to set the pod up: ';
    expect(headline(`${ours}ADD of lab0 for the pod went wrong: rpc error: code = Unknown desc = Get "https://10.0.0.1/v1/pools": dial tcp 10.0.0.1:443: connect: connection refused`))
      .toBe(`${ours}… dial tcp 10.0.0.1:443: connect: connection refused`);
    expect(headline('Webhook policy.example.com refused the write: resource Pod/shop/web-0 was blocked: latest-tag: \'validation error: tags like "latest" are not allowed. rule latest failed at path /image/\''))
      .toBe('Webhook policy.example.com refused the write: resource Pod/shop/web-0 was blocked: … tags like "latest" are not allowed');
    expect(headline('No policy allows the pod of this account in namespace lab: [spec.containers[0].hostPort: Invalid value: 80: Host port 80 is not allowed to be used on any node. Allowed ports: []]'))
      .toBe('No policy allows the pod of this account in namespace lab: … Invalid value: 80: Host port 80 is not allowed to be used on any node');
    expect(headline(`A short one: ${'word '.repeat(40)}`)).toMatch(/^A short one: word .* word…$/);
  });

  test('is never cut inside a name', () => {
    const name = `registry.example.com/${'deep/'.repeat(30)}image:1.2.3`;
    expect(headline(`Image ${name} cannot be pulled`)).toContain(name);
    const hook = `${'a'.repeat(60)}.example.com`;
    const service = `default/${'b'.repeat(60)}`;
    const said = `Webhook ${hook} guards this write, and its Service ${service} does not exist, as the configuration has outlived what it points to, and so have many others here`;
    expect(headline(said)).toContain(`${service} does not exist`);
    expect(headline(said)).toMatch(/ [a-z]+…$/);
  });
});
