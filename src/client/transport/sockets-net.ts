/** See sockets-plain.ts. */
export { connect } from 'node:net'
