import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadPackageDefinition, type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall, type ServiceClientConstructor, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { proto } from '../layout.ts';
import { sleep } from '../wait.ts';
import { faultOf } from './faults.ts';

/** Messages as proto-loader makes them, with the field names of the .proto file. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is the .proto file's
export type Message = any;

export type Handlers = Record<string, (request: Message) => Message | Promise<Message>>;

/** An answer with a gRPC code. */
export class Refusal extends Error {
  readonly code: number;
  constructor(code: keyof typeof status, message: string) {
    super(message);
    this.code = status[code];
  }
}

const OPTIONS = { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true };
const packages = new Map<string, Message>();

function service(file: Parameters<typeof proto>[0], path: string): ServiceClientConstructor['service'] {
  const loaded = packages.get(file) ?? loadPackageDefinition(loadSync(proto(file), OPTIONS));
  packages.set(file, loaded);
  return path.split('.').reduce((part, key) => part[key], loaded).service;
}

/** A volume's id begins with its pool; before there is an id, the class's parameters name it. */
const poolOf = (request: Message): string => request.parameters?.pool ?? String(request.volume_id ?? '').split('.')[0];

const busy = new Set<string>();

/** One operation a volume: another one is turned away while it lasts, as the CSI specification has it ("Concurrency": ABORTED). */
async function once(method: string, request: Message, work: () => Message | Promise<Message>): Promise<Message> {
  const volume: string = request.volume_id || request.name || '';
  if (volume === '') return work();
  if (busy.has(volume)) throw new Refusal('ABORTED', `An operation with the given Volume ID ${volume} already exists`);
  busy.add(volume);
  try {
    let fault = faultOf(poolOf(request), method);
    // The storage behind it hangs, whether or not the caller still waits.
    while (fault && 'hang' in fault) {
      await sleep(200);
      fault = faultOf(poolOf(request), method);
    }
    if (fault) throw new Refusal(fault.code, fault.message);
    return await work();
  } finally {
    busy.delete(volume);
  }
}

const answers = (handlers: Handlers): Record<string, (call: ServerUnaryCall<Message, Message>, callback: sendUnaryData<Message>) => void> =>
  Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [
      method,
      ({ request }: ServerUnaryCall<Message, Message>, callback: sendUnaryData<Message>) => {
        once(method, request, () => handler(request)).then(
          (reply) => callback(null, reply),
          (error: Error) => {
            process.stdout.write(`${method} ${request.volume_id || request.name || ''}: ${error.message}\n`);
            callback({ code: error instanceof Refusal ? error.code : status.INTERNAL, details: error.message });
          },
        );
      },
    ]),
  );

const servers: Server[] = [];

/** Serves some services of one .proto file on a unix socket; a socket that an earlier process left is replaced. */
export async function serve(socket: string, file: Parameters<typeof proto>[0], services: Record<string, Handlers>): Promise<void> {
  const server = new Server();
  for (const [path, handlers] of Object.entries(services)) server.addService(service(file, path), answers(handlers));
  mkdirSync(dirname(socket), { recursive: true });
  rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix://${socket}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
  });
  servers.push(server);
}

/** Ends the process as a container ends: its sockets go with it. */
export function endOn(signal: NodeJS.Signals, sockets: readonly string[]): void {
  process.on(signal, () => {
    for (const socket of sockets) rmSync(socket, { force: true });
    for (const server of servers) server.forceShutdown();
    process.exit(0);
  });
}
