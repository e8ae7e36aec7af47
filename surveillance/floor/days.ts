const DAY_MS = 86_400_000;

/** A gaming day: `day` is the date on which it begins, local time of the service. */
export interface GamingDay {
  readonly day: string;
  readonly fromMs: number;
  /** First moment of the next one. */
  readonly toMs: number;
}

const two = (n: number): string => String(n).padStart(2, '0');

const beginsAt = (year: number, month: number, date: number, hour: number): number =>
  new Date(year, month, date, hour).getTime();

/** The gaming day a moment lies in. A day of 23 or 25 hours is one day. */
export const gamingDayOf = (ms: number, beginsHour: number): GamingDay => {
  let date = new Date(ms);
  if (date.getHours() < beginsHour) date = new Date(ms - beginsHour * 3_600_000);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  return {
    day: `${year}-${two(month + 1)}-${two(day)}`,
    fromMs: beginsAt(year, month, day, beginsHour),
    toMs: beginsAt(year, month, day + 1, beginsHour),
  };
};

/** The gaming days from one moment to another, oldest first, at most `limit`: the newest ones. */
export const gamingDays = (
  fromMs: number,
  toMs: number,
  beginsHour: number,
  limit: number,
): readonly GamingDay[] => {
  const first = Math.max(fromMs, toMs - limit * DAY_MS);
  const days: GamingDay[] = [];
  for (let at = first; at <= toMs && days.length <= limit; ) {
    const day = gamingDayOf(at, beginsHour);
    days.push(day);
    at = day.toMs;
  }
  return days.slice(-limit);
};

/** `2026-11-29`; null where it is no date. */
export const gamingDayNamed = (text: string, beginsHour: number): GamingDay | null => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const at = beginsAt(Number(year), Number(month) - 1, Number(day), beginsHour);
  const found = gamingDayOf(at, beginsHour);
  return found.day === text ? found : null;
};
