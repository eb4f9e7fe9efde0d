import type { IncomingMessage } from 'node:http'

const loopback = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/** Returns whether a request comes from this machine, and not through a proxy on it. */
export const isFromThisMachine = ({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean =>
  loopback.test(socket.remoteAddress ?? '') && proxyHeaders.every((name) => headers[name] === undefined)
