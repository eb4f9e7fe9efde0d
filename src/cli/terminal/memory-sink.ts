import type { Sink } from './streams.ts'

/** A sink that keeps what is written. */
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
