import type { Provider } from '../services/ports.ts'

/** What a provider is asked, each by its name: whoever forgets one is told by the compiler. */
export type Asked<T extends Provider> = Readonly<Record<Exclude<keyof T, keyof Provider>, true>>

type Call = (...values: unknown[]) => Promise<unknown>

/** A provider that is loaded and made with the first thing it is asked: most commands ask none of them. What it says of itself is told then, too. */
export function lateProvider<T extends Provider>(asked: Asked<T>, make: () => Promise<T>): T {
  let made: Promise<T> | undefined
  const provider = (): Promise<T> => (made ??= make())
  const calls = Object.keys(asked).map((name): [string, Call] => [
    name,
    async (...values) => ((await provider()) as unknown as Record<string, Call>)[name]?.(...values),
  ])
  return {
    name: 'local',
    description: 'In the database of this platform.',
    told: async () => (await provider()).description,
    ...Object.fromEntries(calls),
  } as unknown as T
}
