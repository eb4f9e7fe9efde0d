/** A migration, backup or distribution that cannot be made as asked. Nothing was changed. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused'
  readonly exit: 'usage' | 'conflict'
  readonly hint: string

  constructor(exit: 'usage' | 'conflict', message: string, hint: string) {
    super(message)
    this.exit = exit
    this.hint = hint
  }
}
