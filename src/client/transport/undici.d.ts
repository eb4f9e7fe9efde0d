/**
 * The parts of undici that a proxy needs, imported separately because the whole package takes three times as long to
 * load.
 */
declare module 'undici/lib/dispatcher/proxy-agent.js' {
  export { ProxyAgent as default } from 'undici'
}

declare module 'undici/lib/dispatcher/dispatcher.js' {
  const dispatcher: { readonly prototype: object }
  export default dispatcher
}

declare module 'undici/lib/api/api-connect.js' {
  const connect: unknown
  export default connect
}
