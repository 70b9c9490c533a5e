import * as t from 'io-ts'
import type { Factor } from '../../../domain/factor.ts'
import { Flag, Integer, Kind, nullable } from './columns.ts'
import { type RowCodec, rowCodec } from './row-codec.ts'

export const FACTOR_ROW: RowCodec<Factor> = rowCodec({
  row: t.type({
    id: t.string,
    user_id: t.string,
    kind: Kind,
    name: t.string,
    material: t.string,
    mark: Integer,
    answered: t.string,
    counter: Integer,
    flags: t.string,
    created_at: Integer,
    used_at: nullable(Integer),
    removed: Flag,
    version: Integer,
  }),
  toEntity: ({ user_id, created_at, used_at, ...same }): Factor => ({
    ...same,
    userId: user_id,
    createdAtSeconds: created_at,
    usedAtSeconds: used_at,
  }),
  toColumns: ({ userId, createdAtSeconds, usedAtSeconds, ...same }) => ({
    ...same,
    user_id: userId,
    created_at: createdAtSeconds,
    used_at: usedAtSeconds,
  }),
})
