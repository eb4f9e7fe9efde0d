// Node has WebAssembly, but this version of its type definitions does not declare it.
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: 'WebAssembly.Module'
  }
  interface Memory {
    readonly buffer: ArrayBuffer
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>
  }
  interface Table {
    readonly length: number
  }
  interface Global {
    value: unknown
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array): Promise<Module>
}
