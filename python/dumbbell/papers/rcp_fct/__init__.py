"""Flow completion times of RCP and XCP against TCP and processor sharing."""
