package work

import (
	"context"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/postgres"
)

// Handed returns the run of a source that workers are to end, of another reading than that of a hash; empty where
// there is none: one that waits for somebody to see to a key is not waited for.
func Handed(ctx context.Context, db *postgres.DB, store journal.Shared, source, sha256 string) (string, error) {
	runs, err := db.HandedOf(source)
	if err != nil || len(runs) == 0 {
		return "", err
	}
	if alive, err := Alive(ctx, db); !alive || err != nil {
		return "", err
	}
	for _, id := range runs {
		run, err := store.Find(id)
		if err != nil {
			return "", err
		}
		shares, err := db.SharesOf(id)
		if err != nil {
			return "", err
		}
		same := slices.ContainsFunc(run.Header().Sheets, func(sheet plan.Sheet) bool { return sheet.SHA256 == sha256 })
		if !same && slices.ContainsFunc(shares, func(share postgres.Share) bool { return share.Waits == "" }) {
			return id, nil
		}
	}
	return "", nil
}
