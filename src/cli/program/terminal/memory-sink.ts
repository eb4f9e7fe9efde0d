import type { Sink } from './streams.ts'

/** Creates a sink that collects the written text. */
export function memorySink(): { readonly sink: Sink; text(): string } {
  let all = ''
  return {
    sink: {
      isTTY: false,
      columns: 0,
      write: async (text) => {
        all += text
      },
    },
    text: () => all,
  }
}
