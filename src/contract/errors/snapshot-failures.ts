import type { FailureKind } from './failures.ts'

/** Refusals of the control interface about snapshots: all assumed. */
export const snapshotFailures = {
  'snapshots.unsupported': {
    status: 409,
    envelope: 'message',
    text: 'Snapshots are of data in a folder; the data of this platform is in a PostgreSQL database.',
    exit: 'conflict',
    hint: 'Use the database’s own tools: pg_dump and pg_restore.',
  },
  'snapshots.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Snapshot not found',
    exit: 'not_found',
    hint: 'See what there is: parley server snapshot list.',
  },
  'snapshots.exists': {
    status: 409,
    envelope: 'message',
    text: 'There is a snapshot of this name already.',
    exit: 'conflict',
    hint: 'Give another name, or add --replace.',
  },
  'snapshots.unreadable': {
    status: 409,
    envelope: 'message',
    text: 'This snapshot cannot be restored: {why}',
    exit: 'conflict',
  },
  'snapshots.busy': {
    status: 409,
    envelope: 'message',
    text: 'Something this platform was asked before is still under way. Nothing was changed.',
    exit: 'conflict',
    hint: 'Try again in a moment.',
  },
  'snapshots.in_use': {
    status: 409,
    envelope: 'message',
    text: 'Another process works with the data of this folder: {who}. Nothing was changed.',
    exit: 'conflict',
    hint: 'Try again when it has ended.',
  },
  'snapshots.seeded': {
    status: 409,
    envelope: 'message',
    text: 'This world was made of a seed: anybody can make its secrets, and others can reach this server. Nothing was changed.',
    exit: 'conflict',
    hint: 'Use it where the server listens on loopback only.',
  },
} as const satisfies Readonly<Record<string, FailureKind>>
