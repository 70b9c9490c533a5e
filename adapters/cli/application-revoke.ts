import type { ApplicationUnknown } from '../../application/recording/change-application.ts'
import { APPLICATION_UNKNOWN } from './application-rotate.ts'
import type { CommandContext } from './command-context.ts'
import { runOrFail, withOperations } from './operations.ts'
import { printRecord } from './print.ts'

/** `portcullis application revoke` */
export const applicationRevoke = (
  context: CommandContext,
  id: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(context, async ({ revokeApplication }, asOperator) => {
    const record = await runOrFail(
      revokeApplication(asOperator, id),
      (_: ApplicationUnknown) => APPLICATION_UNKNOWN,
    )
    printRecord(context, { json, record, note: 'Revoked. Its keys, tokens and sessions no longer work.' })
  })
