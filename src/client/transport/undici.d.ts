/** The files inside undici that `undici-proxy-agent.ts` loads. */
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
