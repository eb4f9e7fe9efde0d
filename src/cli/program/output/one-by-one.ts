/** Splits items into pages of one, so that each is printed as soon as it is known. */
export async function* oneByOne<T>(items: AsyncIterable<T> | Iterable<T>): AsyncIterable<readonly T[]> {
  for await (const it of items) yield [it]
}
