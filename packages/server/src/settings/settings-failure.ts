import { SettingsError } from '@varve/settings';
import { HTTPException } from 'hono/http-exception';

type Status = 400 | 404 | 409 | 422;

/** Statuses of the refusals of settings. */
const statuses: Partial<Record<SettingsError['code'], Status>> = {
  missing: 404,
  invalid: 422,
  'no-key': 422,
  'no-model': 422,
  locked: 409,
};

/** Resolves to a result of settings; refusals become responses, with other statuses if `replaced` names some. */
export async function answered<Result>(
  result: Promise<Result>,
  replaced: Partial<Record<SettingsError['code'], Status>> = {},
): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const status = replaced[error.code] ?? statuses[error.code];
    if (status === undefined) throw error;
    throw new HTTPException(status, { message: error.message, cause: error });
  }
}
