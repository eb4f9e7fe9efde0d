import type { Provider } from '../ports/providers.ts'

/** What a provider is asked, each by its name: whoever forgets one is told by the compiler. */
export type ProviderMethods<T extends Provider> = Readonly<Record<Exclude<keyof T, keyof Provider>, true>>

type ProviderMethod = (...values: unknown[]) => Promise<unknown>

/** A provider that is loaded and made with the first thing it is asked: most commands ask none of them. What it says of itself is told then, too. */
export function lazyProvider<T extends Provider>(methods: ProviderMethods<T>, make: () => Promise<T>): T {
  let created: Promise<T> | undefined
  const provider = (): Promise<T> => (created ??= make())
  const calls = Object.keys(methods).map((name): [string, ProviderMethod] => [
    name,
    async (...values) => ((await provider()) as unknown as Record<string, ProviderMethod>)[name]?.(...values),
  ])
  return {
    name: 'local',
    description: 'Stored in the database of this platform.',
    describe: async () => (await provider()).description,
    ...Object.fromEntries(calls),
  } as unknown as T
}
