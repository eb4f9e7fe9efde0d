import type { FailureKind } from './exit-codes.ts'

/**
 * Errors of the control interface about snapshots. All of them are assumed. failures.ts says who reads which part of an
 * error.
 */
export const snapshotFailures = {
  'snapshots.unsupported': {
    status: 409,
    envelope: 'message',
    text: 'Snapshots are not supported for data in a PostgreSQL database.',
    exit: 'conflict',
    hint: 'Use pg_dump and pg_restore.',
  },
  'snapshots.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Snapshot not found',
    exit: 'not_found',
    hint: 'List them: parley server snapshot list.',
  },
  'snapshots.exists': {
    status: 409,
    envelope: 'message',
    text: 'A snapshot with this name already exists.',
    exit: 'conflict',
    hint: 'Choose another name, or pass --replace.',
  },
  'snapshots.unreadable': {
    status: 409,
    envelope: 'message',
    text: 'This snapshot cannot be read: {why}',
    exit: 'conflict',
  },
  'snapshots.busy': {
    status: 409,
    envelope: 'message',
    text: 'An earlier request is still in progress. Nothing was changed.',
    exit: 'conflict',
    hint: 'Try again in a moment.',
  },
  'snapshots.in_use': {
    status: 409,
    envelope: 'message',
    text: 'Another process uses this data folder: {who}. Nothing was changed.',
    exit: 'conflict',
    hint: 'Try again after it has ended.',
  },
  'snapshots.seeded': {
    status: 409,
    envelope: 'message',
    text: 'The data was created with a seed, so its secrets are predictable, and other machines can reach this server. Nothing was changed.',
    exit: 'conflict',
    hint: 'Use a server that listens on loopback only.',
  },
} as const satisfies Readonly<Record<string, FailureKind>>
