// Released with 0.1.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Tables of the simulated services that accounts connect: email, spreadsheets, calendars, a CRM. */
export const connected: Migration = {
  version: 7,
  name: 'connected',
  up: [
    `create table local_act (
      key text primary key not null,
      request text not null,
      result {{json}} not null
    ) {{strict}}`,

    `create table local_mail (
      key text primary key not null,
      owner {{bigint}} not null,
      id text not null,
      server text,
      sender text not null,
      recipients {{json}} not null,
      subject text not null,
      body text not null,
      at {{bigint}} not null
    ) {{strict}}`,
    'create index local_mail_owner on local_mail (owner, at)',

    `create table local_sheet (
      file text primary key not null,
      changes {{bigint}} not null
    ) {{strict}}`,
    `create table local_sheet_change (
      key text primary key not null,
      file text not null,
      number {{bigint}} not null,
      lines {{bigint}} not null,
      change {{json}} not null,
      result {{json}}
    ) {{strict}}`,
    'create index local_sheet_change_pending on local_sheet_change (file, number) where result is null',

    `create table local_booking (
      id text primary key not null,
      calendar text not null,
      owner {{bigint}} not null,
      title text not null,
      start text not null,
      ends text not null,
      status text not null check (status in ('booked', 'cancelled')),
      name text,
      email text,
      phone text,
      notes text
    ) {{strict}}`,
    'create index local_booking_start on local_booking (calendar, owner, status, start)',

    `create table local_contact (
      number {{pk}},
      id text not null,
      owner {{bigint}} not null,
      name text,
      email text,
      phone text,
      tags {{json}} not null,
      fields {{json}} not null
    ) {{strict}}`,
    'create unique index local_contact_id on local_contact (id)',
    'create index local_contact_owner on local_contact (owner, number)',

    `create table local_note (
      id text primary key not null,
      contact text not null,
      text text not null
    ) {{strict}}`,
  ],
}
