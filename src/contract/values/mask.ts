/** Text that a platform shows in place of a credential (section 2.10). */
export const maskText = '••• hidden'

/**
 * Returns the paths of all strings within a value that hold a mask, such as
 * `flow.steps.0.settings.input.headers.authorization`, in order.
 */
export function findMasks(value: unknown, isMask: (text: string) => boolean = (it) => it.includes(maskText)): string[] {
  const found: string[] = []
  // An explicit stack, because a definition may be nested deeper than the call stack allows.
  const stack: [path: string, value: unknown][] = [['', value]]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [path, it] = next
    if (typeof it === 'string' && isMask(it)) found.push(path)
    if (typeof it !== 'object' || it === null) continue
    for (const [name, inner] of Object.entries(it).reverse())
      stack.push([path === '' ? name : `${path}.${name}`, inner])
  }
  return found
}
