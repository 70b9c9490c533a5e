import { expect } from 'chai'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresProtocolState } from '../../adapters/stores/postgres/protocol-state.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { ProtocolState } from '../../application/ports/protocol-state.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { countOne, NOW } from '../testkit/failure-counts/steps.ts'
import { commitAll, ok } from '../testkit/outcome.ts'
import { anEntry } from '../testkit/protocol-state/steps.ts'
import { describeOnPostgres, onEmpty, PLACE } from './database.ts'

/** Functions that match calls with untyped parameters better than those of PostgreSQL. */
const BETTER_FITTING = `
  CREATE TABLE public.told (what text);
  CREATE FUNCTION public.json_populate_recordset(anyelement, text) RETURNS SETOF anyelement LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO public.told VALUES ($2);
      RETURN QUERY SELECT * FROM pg_catalog.json_populate_recordset($1, $2::json);
    END $$;
  CREATE FUNCTION public.pg_advisory_xact_lock(text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO public.told VALUES ($1);
    END $$`

const everyStepOf = async (state: ProtocolState): Promise<void> => {
  await ok(state.put(anEntry()))
  await ok(state.find('refresh_token', anEntry().id))
  await ok(state.consume('refresh_token', anEntry().id, NOW))
  await ok(state.remove('refresh_token', anEntry().id))
  await ok(state.removeOfSession('session'))
  await ok(state.deleteExpired(1, 1))
}

describeOnPostgres('functions in another schema', (server) => {
  it(
    'are never called, despite a better match',
    onEmpty(server, async ({ url, ask }) => {
      await ask(BETTER_FITTING)
      await openDatabase({ url, place: PLACE })
      const connections = connectionsTo(url, 2)
      const store = postgresStore(connections)
      try {
        const made = registered()
        await commitAll(store, change(made), change(issuedToken()))
        await ok(
          countOne(
            postgresFailureCounts(connections, () => NOW),
            'key',
          ),
        )
        await everyStepOf(postgresProtocolState(connections))
        if (made._tag !== 'UserRegistered') throw new Error('it is another fact')
        const row = { table: 'users', row: { ...made.user, createdAtSeconds: 0, version: 2 } } as const
        await commitAll(store, { ...change(issuedToken()), rows: [row] })
      } finally {
        await store.close()
      }
      expect(await ask('SELECT what FROM public.told')).to.deep.equal([])
    }),
  )
})
