import type { View } from '../../../output/form.ts'

/** View of a new key, which is shown only once. */
export const keyView: View<{ readonly key: string }> = {
  id: (it) => it.key,
  columns: [{ key: 'key', title: 'Key', priority: 1 }],
  empty: '',
}
