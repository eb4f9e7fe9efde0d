/** Loaded lazily by file: in the shipped CommonJS this is a require, where `import('node:http')` would start Node's module loader. */
export { Agent, request } from 'node:http'
export { connect } from 'node:net'
