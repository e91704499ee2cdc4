import { isIP } from 'node:net';

/**
 * The proxy that the environment asks for, as Go's http.ProxyFromEnvironment reads it (so that kubectl and we take one way):
 * loopback never, NO_PROXY by name, suffix, address, CIDR and `*`. Empty for none.
 */
export function proxyFromEnvironment(server: URL, env: NodeJS.ProcessEnv = process.env): string {
  const get = (name: string): string => env[name] || env[name.toLowerCase()] || '';
  const proxy = server.protocol === 'https:' ? get('HTTPS_PROXY') : get('HTTP_PROXY');
  if (proxy === '') return '';
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopback(host)) return '';
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  const bypassed = get('NO_PROXY')
    .split(',')
    .map((rule) => rule.trim().toLowerCase())
    .some((rule) => rule !== '' && matches(rule, host, port));
  if (bypassed) return '';
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host) || host === '[::1]';

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  if (rule.includes('/')) return inBlock(host, rule);
  const [name = '', wanted] = isIP(rule) === 6 ? [rule] : rule.split(':');
  if (wanted !== undefined && wanted !== port) return false;
  if (name === host) return true;
  if (isIP(host)) return false;
  const suffix = name.replace(/^\*/, '');
  return suffix.startsWith('.') ? host.endsWith(suffix) : host.endsWith(`.${suffix}`);
}

function inBlock(host: string, block: string): boolean {
  const [base = '', bits = ''] = block.split('/');
  if (isIP(host) !== 4 || isIP(base) !== 4) return false;
  const shift = 32 - Number(bits);
  const number = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return Math.floor(number(host) / 2 ** shift) === Math.floor(number(base) / 2 ** shift);
}
