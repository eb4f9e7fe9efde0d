import type { Verb } from '../tree.ts'

/** Commands that apply resources as files, or from one profile to another. */
export const asCode: Readonly<Record<string, Verb>> = {
  pull: { load: async () => (await import('../commands/pull.ts')).pull },
  diff: { load: async () => (await import('../commands/diff.ts')).diff },
  push: { load: async () => (await import('../commands/push.ts')).push },
  promote: { load: async () => (await import('../commands/promote.ts')).promote },
}
