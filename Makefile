# ./dev does the work and needs no make; `make VERB` is the same as `./dev VERB`.
.DEFAULT_GOAL := help
VERBS := help demo up test chaos sdk check fix bench lock
.PHONY: $(VERBS)
$(VERBS):
	@./dev $@
