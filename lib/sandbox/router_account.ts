// The router's figures about its keys and the money behind them.

import { type CostFault, FIGURE, jsonAnswer, type ProviderAnswer } from "./provider_answer.ts";

/** The figures of an account and of its inference key, in dollars. Tests may set each at any time. */
export interface RouterAccount {
  /** Bought, ever. */
  credits: number;
  /** Used by the whole account, ever. */
  usage: number;
  /** The limit of the key; null for none. */
  limit: number | null;
  limitRemaining: number | null;
  limitReset: "daily" | "weekly" | "monthly" | null;
  /** Used by the key, ever. */
  keyUsage: number;
  keyUsageDaily: number;
  keyUsageWeekly: number;
  keyUsageMonthly: number;
}

/** A normal account with 162.3457 dollars left, and 17.75 left today for the key. */
export function createRouterAccount(): RouterAccount {
  return {
    credits: 250,
    usage: 87.6543,
    limit: 20,
    limitRemaining: 17.75,
    limitReset: "daily",
    keyUsage: 61.2,
    keyUsageDaily: 2.25,
    keyUsageWeekly: 9.5,
    keyUsageMonthly: 31.125,
  };
}

/** Credits bought and used. A fault of the cost concerns `total_credits`. */
export function showCredits(account: RouterAccount, fault: CostFault | undefined): ProviderAnswer {
  const { credits, usage } = account;
  const total = fault?.kind === "missing-cost" ? {} : { total_credits: figureOr(credits, fault) };
  return jsonAnswer({ data: { total_usage: usage, ...total } }, withText(fault));
}

/** The key that asks. A fault of the cost concerns `limit_remaining`. */
export function showKey(
  account: RouterAccount,
  { isManagementKey }: { isManagementKey: boolean },
  fault: CostFault | undefined,
): ProviderAnswer {
  const { limit, limitRemaining, limitReset } = account;
  const remaining = fault?.kind === "missing-cost"
    ? {}
    : { limit_remaining: figureOr(limitRemaining, fault) };
  const data = {
    label: isManagementKey ? "sandbox management" : "sandbox",
    limit,
    limit_reset: limitReset,
    usage: account.keyUsage,
    usage_daily: account.keyUsageDaily,
    usage_weekly: account.keyUsageWeekly,
    usage_monthly: account.keyUsageMonthly,
    byok_usage: 0,
    byok_usage_daily: 0,
    byok_usage_weekly: 0,
    byok_usage_monthly: 0,
    include_byok_in_limit: false,
    is_free_tier: false,
    is_management_key: isManagementKey,
    is_provisioning_key: isManagementKey,
    creator_user_id: "user_sandbox",
    organization_id: null,
    workspace_id: null,
    allowed_data_regions: ["global"],
    expires_at: null,
    free_model_daily_requests: { limit: 1000, remaining: 1000, used: 0 },
    rate_limit: { requests: -1, interval: "10s", note: "No longer in use." },
    ...remaining,
  };
  return jsonAnswer({ data }, withText(fault));
}

function figureOr(amount: number | null, fault: CostFault | undefined): number | string | null {
  return fault?.kind === "cost" ? FIGURE : amount;
}

function withText(fault: CostFault | undefined): { figure?: string } {
  return fault?.kind === "cost" ? { figure: fault.text } : {};
}
