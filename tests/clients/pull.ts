// A pull written against the generated types: what compiles here is what the contract promises.
import type { components, paths } from "./contract.js";

type Row = components["schemas"]["TrainingRecord"];
type Page = paths["/v1/training-records"]["get"]["responses"]["200"]["content"]["application/json"];
type Query = NonNullable<paths["/v1/training-records"]["get"]["parameters"]["query"]>;
type Problem = components["schemas"]["ProblemDocument"];

export async function pull(baseUrl: string, key: string, asAt: string): Promise<Row[]> {
  const rows: Row[] = [];
  let query: Query = { as_at: asAt, limit: 200 };
  for (;;) {
    const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const answer = await fetch(`${baseUrl}/v1/training-records?${text}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    if (!answer.ok) {
      const problem = (await answer.json()) as Problem;
      throw new Error(`${problem.code}: ${problem.detail}`);
    }
    const page = (await answer.json()) as Page;
    rows.push(...page.data);
    if (page.next_cursor === null) return rows;
    query = { cursor: page.next_cursor };
  }
}

export function late(row: Row): boolean {
  const name: string | null | undefined = row.person_name; // personal: optional and nullable
  const due: string | null = row.due_at;
  return due !== null && row.outcome === "overdue" && name !== null;
}
