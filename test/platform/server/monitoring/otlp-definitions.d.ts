/** The definitions of OTLP that OpenTelemetry generates from its proto files; the package declares no types for them. */
declare module '@opentelemetry/otlp-transformer/build/src/generated/root.js' {
  interface Definition {
    fromObject(value: object): object
    toObject(message: object, options: object): object
  }
  const root: {
    readonly opentelemetry: {
      readonly proto: {
        readonly collector: { readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Definition } } }
      }
    }
  }
  export default root
}
