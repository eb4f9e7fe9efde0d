/** Tables of the simulated payment processor, separate from those of the platform. */

/** Charges recorded by the simulated payment processor. */
export interface LocalChargeTable {
  key: string
  charge_id: string | null
  method: string
  amount: number
  about: string
  failure: string | null
  refunded: number
}

export interface PaymentSimulatorTables {
  local_charge: LocalChargeTable
}
