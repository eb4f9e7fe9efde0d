import type { Provider } from '../ports/provider.ts'

/** The methods of a provider by name. The compiler reports a missing one. */
export type ProviderMethods<T extends Provider> = Readonly<Record<Exclude<keyof T, keyof Provider>, true>>

type ProviderMethod = (...values: unknown[]) => Promise<unknown>

/**
 * Creates a provider that is loaded on its first call, because most commands use none. Its own description is available
 * through `describe`.
 */
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
