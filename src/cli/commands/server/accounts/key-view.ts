import type { View } from '../../../output/form.ts'

/** A key that was made now, and is not shown again. */
export const keyView: View<{ readonly key: string }> = {
  id: (it) => it.key,
  columns: [{ key: 'key', title: 'Key', priority: 1 }],
  empty: '',
}
