/** See sockets-plain.ts. */
export { Agent, request } from 'node:https'
