/** Returns an object that always has the properties of the current value. */
export function liveView<T extends object>(current: () => T): T {
  const names = Object.keys(current()) as (keyof T & string)[]
  return Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { enumerable: true, get: () => current()[name] }])),
  ) as T
}
