import { createHash } from 'node:crypto'
import { stringifyJson } from '../../node/json.ts'
import { StoreError } from '../database/store-error.ts'
import type { TableShape, TransferRow } from './transfer-side.ts'

/** Number of rows and a hash of their content that does not depend on their order. */
export interface TableContent {
  readonly table: string
  readonly rows: number
  readonly hash: string
}

/** Computes the content of a table from its rows: the sum of the hashes of all rows, in eight words of 32 bits. */
export class TableDigest {
  readonly #table: TableShape
  readonly #sums = new Uint32Array(8)
  #rows = 0

  constructor(table: TableShape) {
    this.#table = table
  }

  /** Adds a row. Throws StoreError for a value that the other database could not store exactly. */
  add(row: TransferRow): void {
    const { name, columns } = this.#table
    const values = columns.map((it) => row[it] ?? null)
    values.forEach((value, n) => {
      if (value === null || typeof value === 'string' || Number.isSafeInteger(value)) return
      throw new StoreError('other', `The value ${String(value)} of ${name}.${columns[n]} cannot be copied exactly.`)
    })
    const hash = createHash('sha256').update(stringifyJson(values)).digest()
    for (let n = 0; n < 8; n++) this.#sums[n] = (this.#sums[n] as number) + hash.readUInt32LE(4 * n)
    this.#rows++
  }

  get content(): TableContent {
    return { table: this.#table.name, rows: this.#rows, hash: Buffer.from(this.#sums.buffer).toString('hex') }
  }
}
