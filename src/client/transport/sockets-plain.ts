/**
 * Loaded lazily by file: in the published CommonJS this is a require, whereas `import('node:http')` would start Node's
 * module loader.
 */
export { Agent, request } from 'node:http'
export { ReplaySocket } from './replay-socket.ts'
